"""Runs an exported script with the real Appium client against a server on loopback that only records.

usage: record_appium.py SCRIPT [crashed]. Prints the requests; the exit code is that of the script.
"""

import json
import os
import runpy
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
CRASH = "E AndroidRuntime: Process: com.example.notes, PID: 4711"
recorded = []


class Recorder(BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        place = self.path.removeprefix("/session/1")
        value = None
        if self.path == "/session":
            value = {"sessionId": "1", "capabilities": {}}
        elif place == "/elements":
            value = [{ELEMENT: "widget"}]
        elif place.endswith("/log"):
            value = [{"message": CRASH}] if "crashed" in sys.argv else []
        if not recorded or place != "/se/log" or recorded[-1][1] != place:
            recorded.append((self.command, place, body.decode()))
        answer = json.dumps({"value": value}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ["APPIUM_SERVER"] = f"http://127.0.0.1:{server.server_port}"
os.environ["NO_PROXY"] = "127.0.0.1"
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
finally:
    for command, place, body in recorded:
        print(command, place, body)
