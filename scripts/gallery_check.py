#!/usr/bin/env python3
"""Uses the page of `vramp gallery` in a real browser, by its keys.

    scripts/gallery_check.py VRAMP [VIDEO] [--filter NAME] [--keep DIR]

Needs chromium, its driver and selenium (scripts/setup_browser.sh). Ends with 77 where there is no browser.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SAMPLE = pathlib.Path(__file__).resolve().parent.parent / "samples" / "banded-gradient.mkv"

# What this ends with where there is no browser.
SKIPPED = 77


def browser():
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--window-size=1400,900", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Named, or selenium looks for a browser in the network.
    options.binary_location = shutil.which("chromium")
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r}, not {expected!r}")


def use(page, driver, folder):
    driver.get(page.as_uri())
    script = driver.execute_script
    press = lambda *keys: ActionChains(driver).send_keys(*keys).perform()
    shown = lambda: driver.find_element(By.ID, "name").text
    full = lambda: driver.find_element(By.ID, "view").is_displayed()

    looks = script("return data.looks.map(look => look.filter + ': ' + look.preset)")
    frames = script("return data.frames.length")
    of_frame = script("return data.frames[0].looks")
    check("thumbnails", len(driver.find_elements(By.CLASS_NAME, "look")), len(of_frame))
    check("pictures that did not load",
          script("return Promise.all([...document.images].filter(i => i.src).map(i => { i.loading = 'eager';"
                 " return i.decode().then(() => null, () => i.src); })).then(all => all.filter(i => i))"), [])

    # By keys alone: to the second look, into the full view, on to the third, and to the next frame.
    press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER)
    check("full view", full(), True)
    check("look", shown(), looks[of_frame[1]])
    press(Keys.ARROW_RIGHT)
    check("next look", shown(), looks[of_frame[2]])
    press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    check("look before", shown(), looks[of_frame[0]])
    if frames > 1:
        press(Keys.ARROW_DOWN)
        check("next frame", script("return frame"), 1)
        check("its source", driver.find_element(By.ID, "before").get_attribute("src").split("/")[-1], "1-source.png")
        press(Keys.ARROW_UP)

    # The slider, by its keys and by the pointer.
    clip = lambda: script("return parseFloat(document.getElementById('before').style.clipPath.split(' ')[1])")
    half = clip()
    press("d", "d")
    check("slider", driver.find_element(By.ID, "slider").get_attribute("value"), "60")
    check("more of the source", clip() < half, True)
    stage = driver.find_element(By.ID, "stage")
    ActionChains(driver).move_to_element(stage).click_and_hold().move_by_offset(-200, 0).release().perform()
    check("less of the source", clip() > half, True)
    driver.save_screenshot(str(folder / "full.png"))

    command = driver.find_element(By.ID, "command").get_attribute("value")
    press("c")
    check("copied", script("return new Promise(done => setTimeout(() => done(document.getElementById('copied').textContent), 300))"),
          "copied")
    press(Keys.ESCAPE)
    check("back", full(), False)
    check("focus", driver.switch_to.active_element.get_attribute("data-look"), str(of_frame[0]))
    driver.save_screenshot(str(folder / "grid.png"))
    check("messages", [entry["message"] for entry in driver.get_log("browser")], [])
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vramp")
    parser.add_argument("video", nargs="?", default=str(SAMPLE))
    parser.add_argument("--filter", help="presets of this filter only")
    parser.add_argument("--keep", help="leave the gallery and screenshots here")
    arguments = parser.parse_args()
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        print("chromium or its driver is missing: apt install chromium chromium-driver", file=sys.stderr)
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(arguments.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        filters = ["--filter", arguments.filter] if arguments.filter else []
        subprocess.run([arguments.vramp, "gallery", arguments.video, *filters, "-o", folder / "looks", "-y", "--quiet"], check=True)
        driver = browser()
        try:
            command = use((folder / "looks" / "index.html").resolve(), driver, folder)
        finally:
            driver.quit()
        # What the page gives to copy runs.
        made = str(folder / "made.mkv")
        text = command.replace("OUT.mkv", made).replace("vramp ", arguments.vramp + " ", 1)
        subprocess.run(f"{text} --frames 1 -y --quiet", shell=True, check=True)
    print("the page works")


if __name__ == "__main__":
    main()
