"""`proxyctl mcp` and `proxyctl web --mcp`, used with the public Python client of the protocol."""

import json
import os
import subprocess
import unittest
import urllib.error
import urllib.request

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from rig import ENVIRONMENT, PROGRAMS, Rig

SECRET = "canary7f3"


def filled(rig):
    """Records a few requests, one of them with credentials."""
    fields = {"Authorization": f"Bearer {SECRET}", "Cookie": f"sid={SECRET}"}
    body = f"user=ann&password={SECRET}".encode()
    rig.send(f"/login?token={SECRET}", "POST", body, fields)
    rig.send("/json")
    rig.send("/status/503")
    rig.send("/hostile")
    rig.wait_for_count(4)


class AgentTest(unittest.TestCase):
    def run_client(self, transport, use, mode="auto"):
        async def run():
            async with Client(transport, mode=mode) as client:
                await use(client)

        anyio.run(run)

    def stdio(self, rig, *options):
        command = [str(PROGRAMS / "proxyctl"), "--data-dir", rig.data, "mcp", *options]
        return stdio_client(
            StdioServerParameters(command=command[0], args=command[1:], env=ENVIRONMENT))


class StdioTest(AgentTest):
    def test_both_eras_are_spoken(self):
        with Rig() as rig:
            filled(rig)
            for mode, version in [("auto", "2026-07-28"), ("legacy", "2025-11-25")]:
                async def use(client):
                    self.assertEqual(client.protocol_version, version)
                    self.assertEqual(client.server_info.name, "proxyd")
                    listed = (await client.list_tools()).tools
                    # The client checks results against these schemas itself.
                    self.assertTrue(all(tool.output_schema for tool in listed))
                    tools = [tool.name for tool in listed]
                    self.assertIn("list_exchanges", tools)
                    self.assertNotIn("replay_exchange", tools)
                    result = await client.call_tool("count_exchanges", {"filter": "status>=500"})
                    self.assertFalse(result.is_error)
                    self.assertEqual(result.structured_content, {"count": 1})
                    self.assertEqual(json.loads(result.content[0].text), {"count": 1})

                self.run_client(self.stdio(rig), use, mode)

    def test_a_debugging_question_is_answered_without_credentials(self):
        with Rig() as rig:
            filled(rig)

            async def use(client):
                answers = []

                async def call(tool, **arguments):
                    result = await client.call_tool(tool, arguments)
                    self.assertFalse(result.is_error, result.content)
                    answers.append(result.content[0].text)
                    return result.structured_content

                summary = await call("summarize_exchanges")
                self.assertEqual((summary["count"], summary["errors"]), (4, 1))
                rows = (await call("list_exchanges", filter="method=POST"))["exchanges"]
                self.assertEqual(rows[0]["id"], "1")
                login = await call("show_exchange", id=rows[0]["id"])
                self.assertEqual(login["request"]["form"][0], ["user", "ann"])
                await call("read_body", id=rows[0]["id"], side="request")
                await call("diff_exchanges", left=1, right=2)
                await call("test_rule")
                hostile = await call("read_body", id=4)
                self.assertIn("\\u{202E}", hostile["text"])
                self.assertTrue(hostile["untrusted"])
                for answer in answers:
                    self.assertNotIn(SECRET, answer)
                    self.assertLessEqual(len(answer.encode()), 64 << 10)

            self.run_client(self.stdio(rig), use)

    def test_mistakes_are_explained(self):
        with Rig() as rig:
            filled(rig)

            async def use(client):
                result = await client.call_tool("list_exchanges", {"filter": "status>>5"})
                self.assertTrue(result.is_error)
                self.assertIn("column 8", result.content[0].text)
                with self.assertRaises(MCPError):
                    await client.call_tool("no_such_tool", {})
                with self.assertRaises(MCPError):
                    await client.read_resource("proxyd://exchange/999")

            self.run_client(self.stdio(rig), use)

    def test_resources_and_prompts_are_offered(self):
        with Rig() as rig:
            filled(rig)

            async def use(client):
                resources = (await client.list_resources()).resources
                self.assertEqual([str(one.uri) for one in resources], ["proxyd://filter-language"])
                manual = await client.read_resource("proxyd://filter-language")
                self.assertIn("status", manual.contents[0].text)
                exchange = await client.read_resource("proxyd://exchange/2")
                self.assertTrue(json.loads(exchange.contents[0].text)["untrusted"])
                prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
                self.assertIn("find_failures", prompts)
                prompt = await client.get_prompt("compare_with_working_call", {"id": "3"})
                self.assertIn("Exchange 3", prompt.messages[0].content.text)

            self.run_client(self.stdio(rig), use)

    def test_with_permission_requests_are_sent_and_notes_written(self):
        with Rig() as rig:
            filled(rig)
            folder = os.path.join(rig.folder, "exports")
            os.mkdir(folder)

            async def use(client):
                sent = await client.call_tool("replay_exchange", {"id": 1})
                self.assertFalse(sent.is_error, sent.content)
                row = sent.structured_content["exchange"]
                self.assertEqual((row["replay_of"], row["status"]), ("1", 200))
                noted = await client.call_tool("annotate_exchange", {"id": 1, "note": "odd"})
                self.assertEqual(noted.structured_content["exchange"]["note"], "odd")
                written = await client.call_tool("export_exchanges", {"filter": "id<3"})
                with open(written.structured_content["path"]) as file:
                    self.assertNotIn(SECRET, file.read())
                selected = await client.call_tool(
                    "query_sql", {"statement": "SELECT count(*) FROM exchanges"})
                self.assertEqual(selected.structured_content["rows"], [[5]])
                written = await client.call_tool("query_sql", {"statement": "DELETE FROM exchange"})
                self.assertTrue(written.is_error)

            options = [
                "--allow-replay", "127.0.0.1", "--allow-annotations", "--allow-sql",
                "--export-directory", folder,
            ]
            self.run_client(self.stdio(rig, *options), use)
            # The credentials that the agent never saw went with the request.
            shown = subprocess.run(
                [PROGRAMS / "proxyctl", "--data-dir", rig.data, "show", "5", "--json"],
                env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
            self.assertIn(SECRET, shown)

    def test_the_end_of_the_input_ends_the_program(self):
        with Rig() as rig:
            lines = ['{"jsonrpc":"2.0","id":1,"method":"ping"}', "", "nonsense"]
            done = subprocess.run(
                [PROGRAMS / "proxyctl", "--data-dir", rig.data, "mcp"], env=ENVIRONMENT,
                input="\n".join(lines), capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertIn({"jsonrpc": "2.0", "id": 1, "result": {}}, answers)
            self.assertEqual(len(answers), 2)


class HTTPTest(AgentTest):
    def transport(self, rig):
        client = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {rig.token}"}, trust_env=False)
        return streamable_http_client(rig.page.rstrip("/") + "/mcp", http_client=client)

    def restart_web(self, rig, *options):
        rig.web.stop()
        rig.start_web(*options)

    def test_both_eras_are_spoken_over_http(self):
        with Rig() as rig:
            self.restart_web(rig, "--mcp")
            filled(rig)
            for mode in ("auto", "legacy"):
                async def use(client):
                    self.assertIn(
                        "read_body", [tool.name for tool in (await client.list_tools()).tools])
                    result = await client.call_tool("show_exchange", {"id": 1})
                    self.assertNotIn(SECRET, result.content[0].text)
                    self.assertEqual(result.structured_content["overview"]["status"], 200)

                self.run_client(self.transport(rig), use, mode)

    def test_a_token_in_a_file_stays_the_same_and_is_not_printed(self):
        with Rig() as rig:
            path = os.path.join(rig.folder, "token")
            for _ in range(2):
                self.restart_web(rig, "--mcp", "--token-file", path)
                with open(path) as file:
                    token = file.read().strip()
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
                self.assertNotIn(token, rig.web.address)
                rig.page, rig.token = rig.web.address.split(" ")[0], token
                _, _, found = rig.api("GET", "/status")
                self.assertIn("exchanges", found)
            for content, mode, words in [
                ("short\n", 0o600, "at least 43"), ("x" * 64 + "\n", 0o644, "other users"),
                ("x" * 50 + "\n" + "y" * 50, 0o600, "one line"),
            ]:
                with open(path, "w") as file:
                    file.write(content)
                os.chmod(path, mode)
                refused = subprocess.run(
                    [PROGRAMS / "proxyctl", "--data-dir", rig.data, "web", "--no-open",
                     "--token-file", path],
                    env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
                self.assertNotEqual(refused.returncode, 0)
                self.assertIn(words, refused.stderr)

    def status(self, rig, method="POST", body=b"{}", **fields):
        request = urllib.request.Request(
            rig.page.rstrip("/") + "/mcp", data=body, method=method,
            headers={name.replace("_", "-"): value for name, value in fields.items()})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as response:
                return response.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def test_the_rules_of_the_page_apply(self):
        with Rig() as rig:
            token = {"Authorization": f"Bearer {rig.token}", "Content_Type": "application/json"}
            self.assertEqual(self.status(rig, **token), 404)
            self.restart_web(rig, "--mcp")
            token["Authorization"] = f"Bearer {rig.token}"
            ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
            self.assertEqual(self.status(rig, body=ping, **token), 200)
            self.assertEqual(self.status(rig, body=ping, Content_Type="application/json"), 401)
            self.assertEqual(self.status(rig, body=ping, Host="evil.test", **token), 421)
            self.assertEqual(
                self.status(rig, body=ping, Origin="http://evil.test", **token), 403)
            self.assertEqual(self.status(rig, "GET", None, **token), 405)
            self.assertEqual(self.status(rig, "DELETE", None, **token), 405)
            plain = dict(token, Content_Type="text/plain")
            self.assertEqual(self.status(rig, body=ping, **plain), 415)


if __name__ == "__main__":
    unittest.main()
