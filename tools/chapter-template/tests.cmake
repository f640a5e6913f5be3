add_room_tests(SOURCES test_NAMESPACE.cpp)
