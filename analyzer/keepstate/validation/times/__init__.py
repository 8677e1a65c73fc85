"""What goes by time: windows, OVER, patterns of rows, temporal joins."""
