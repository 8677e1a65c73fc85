"""Layouts: the names, forms and row types of what each operator stores."""
