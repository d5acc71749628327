"""How each measure is shown: its tables, pictures and headline, declared once.

The tool of a measure uses them, and so do the reports that have the measure as a section.
"""
