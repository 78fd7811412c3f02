"""REST routes of sessions. They translate; what is read and written is said in the modules beside this folder."""
