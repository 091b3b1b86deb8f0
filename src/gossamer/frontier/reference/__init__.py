"""The reference: a frontier in memory, written to be obviously right. It says what every other backend must do."""
