"""Words of Flink SQL that completion knows: functions, connectors with their options, keywords."""
