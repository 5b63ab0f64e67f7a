#!/bin/sh
# Fetches what uses the page of `vramp gallery`: a browser with its driver, and what drives them, into target/; nothing when they are there.
set -eu
cd "$(dirname "$0")/.."

# Ubuntu has both as a snap alone, which containers do not run: there the test says so and passes.
apt-cache show chromium-driver >/dev/null 2>&1 && scripts/setup.sh chromium chromium-driver

selenium=selenium==4.51.0
if [ "$(cat target/selenium/ready 2>/dev/null)" != $selenium ]; then
    echo "setup: fetching Selenium"
    python3 -m venv --clear target/selenium
    target/selenium/bin/pip install --quiet --disable-pip-version-check $selenium
    echo $selenium > target/selenium/ready
fi
