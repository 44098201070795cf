"""Runs an exported script with the real uiautomator2 against an adb server on loopback that only records.

usage: record_uiautomator2.py SCRIPT [crashed]. Prints shell commands and requests to the phone; the exit code is that of
the script. The server knows one phone, whose UiAutomator answers every request.
"""

import hashlib
import json
import os
import runpy
import socketserver
import sys
import threading
from pathlib import Path

CRASH = "I/am_crash( 680): [4711,0,com.example.notes,0,java.lang.Error,no,Main.java,1]\n"
# Commands with which uiautomator2 waits for the app's process.
PROCESS = "u0_a99 4711 1 0 0 0 0 S com.example.notes\n"
PROCESS_LISTS = ("ps", "ps -A", "pm list packages")
# Methods with which uiautomator2 sees to itself.
OWN = ("setConfigurator", "getConfigurator", "deviceInfo", "waitForExists")
recorded = []


class AdbServer(socketserver.StreamRequestHandler):
    def handle(self):
        while length := self.rfile.read(4):
            service = self.rfile.read(int(length, 16)).decode()
            self.wfile.write(b"OKAY")
            if service == "host:version":
                self.send(b"0029")
            elif service.startswith("host:devices"):
                self.send(b"recorder\tdevice\n")
            elif service.startswith("host:tport"):
                self.wfile.write(bytes(8))
            elif service.startswith("shell"):
                return self.shell(service.split(":", 1)[1], "v2" in service.split(":", 1)[0])
            elif service.startswith("tcp:"):
                return self.answer_http()

    def send(self, answer):
        self.wfile.write(b"%04x" % len(answer) + answer)

    def shell(self, command, is_v2):
        command, exit_code, _ = command.partition("; echo X4EXIT:")
        if "md5sum" in command:
            jar = Path(sys.modules["uiautomator2"].__file__).parent / "assets" / "u2.jar"
            answer = f"{hashlib.md5(jar.read_bytes()).hexdigest()}  u2.jar\n"
        elif "com.wetest.uia2.Main" in command:
            # Runs as long as the script does.
            return self.rfile.read()
        elif command in PROCESS_LISTS:
            answer = PROCESS
        else:
            is_log = "logcat" in command and "-d" in command
            answer = CRASH if is_log and "crashed" in sys.argv else ""
            if not is_log or command not in recorded:
                recorded.append(command)
        output = answer.encode() + (b"X4EXIT:0\n" if exit_code else b"")
        if is_v2:
            chunk = lambda kind, data: bytes([kind]) + len(data).to_bytes(4, "little") + data
            output = chunk(1, output) + chunk(3, b"\0")
        self.wfile.write(output)

    def answer_http(self):
        head = self.rfile.readline().decode().split()
        length = 0
        while (line := self.rfile.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        body = self.rfile.read(length)
        answer = b"pong"
        if head[1] != "/ping":
            answer = self.call(json.loads(body))
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)

    def call(self, request):
        method, params = request["method"], request.get("params")
        if method not in OWN:
            recorded.append(f"{method} {json.dumps(params, ensure_ascii=False, sort_keys=True)}")
        bounds = {"left": 0, "top": 0, "right": 100, "bottom": 100}
        info = {"bounds": bounds, "visibleBounds": bounds, "displayWidth": 1080, "displayHeight": 2400, "displayRotation": 0}
        result = {"exist": True, "count": 1, "objInfo": info, "deviceInfo": info}.get(method, True)
        if method == "dumpWindowHierarchy":
            node = '<node index="0" text="" class="a.View" package="p" bounds="[0,0][100,100]" visible-to-user="true">{}</node>'
            result = "<hierarchy>" + node.format(node.format("") * 3 + node.format(node.format("") * 2)) + "</hierarchy>"
        return json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), AdbServer)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
os.environ.update(ANDROID_ADB_SERVER_HOST="127.0.0.1", ANDROID_ADB_SERVER_PORT=str(server.server_address[1]), ANDROID_SERIAL="recorder")
try:
    runpy.run_path(sys.argv[1], run_name="__main__")
finally:
    print("\n".join(recorded))
