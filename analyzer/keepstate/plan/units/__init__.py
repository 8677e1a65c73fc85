"""The jobs that the cluster runs a script as."""
