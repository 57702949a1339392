from tests.service_app import *  # noqa: F403 - fixtures
