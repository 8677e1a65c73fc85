"""One module per command: ``add_arguments(parser)`` and ``run(arguments)``, which answers with the exit status."""
