"""The contract for hosts without a server, such as a page in a browser: a request in JSON, an answer in JSON."""
