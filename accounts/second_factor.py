def second_factor(get_response):
    return get_response
