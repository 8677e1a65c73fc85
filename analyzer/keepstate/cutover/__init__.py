"""Cutover: from an incompatible verdict to a deployment without a wrong result."""
