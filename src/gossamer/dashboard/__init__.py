"""The dashboard: static modules that speak only to the API, served as they are by `api/app.py`."""
