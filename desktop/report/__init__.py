"""The report of a record: plain data in, a PDF or one self-contained HTML file out."""
