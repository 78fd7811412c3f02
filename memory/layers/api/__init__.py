"""REST routes of the layers. They translate; what is read and changed is said in the modules beside this folder."""
