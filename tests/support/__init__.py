"""What tests share: builders and stand-ins that are real, documented things."""
