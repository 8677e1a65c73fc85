"""Cutovers on a real Flink: the former job until its stop, the new one behind it."""
