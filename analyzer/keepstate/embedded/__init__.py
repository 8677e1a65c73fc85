"""SQL in texts of other kinds: values of YAML and HCL files, output of the SQL client, Avro schemas."""
