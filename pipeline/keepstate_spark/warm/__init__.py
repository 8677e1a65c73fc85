"""Ways around the start of a JVM of Spark: archives of classes, and a JVM that is lent."""
