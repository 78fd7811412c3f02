"""REST routes of the Library. They translate; what is read and written is said in the modules beside this folder."""
