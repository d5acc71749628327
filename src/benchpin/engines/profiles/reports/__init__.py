"""Write an analysis as Markdown, JSON and one self-contained HTML page."""
