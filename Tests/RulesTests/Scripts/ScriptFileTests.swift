import ProxydConfigurationText
import ProxydRules
import Testing

struct ScriptFileTests {
    private func problems(_ text: String) -> [String] {
        do {
            _ = try RulesFile.read(text, file: "rules.toml", now: 0)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func `a script's command, limits and permissions are read, and have defaults`() throws {
        let rules = try RulesFile.read(
            """
            [[script]]
            name = "sign"
            command = ["python3", "sign.py", "--fast"]
            workers = 3
            timeout_ms = 250
            reads = ["/srv/keys"]
            network = true
            memory_mib = 4096
            processes = 300
            [[script]]
            name = "plain"
            command = ["./plain"]
            """, file: "rules.toml", now: 0)
        let sign = try #require(rules.scripts.first)
        #expect(sign.name == "sign" && sign.line == 1 && sign.timeoutMilliseconds == 250)
        #expect(sign.program.command == ["python3", "sign.py", "--fast"])
        #expect(sign.program.workerCount == 3 && sign.program.usesNetwork)
        #expect(sign.program.readable == ["/srv/keys"])
        #expect(sign.program.memoryMebibyteCount == 4_096 && sign.program.processCount == 300)
        let plain = try #require(rules.scripts.last)
        #expect(plain.timeoutMilliseconds == 5_000 && plain.program.workerCount == 1)
        #expect(plain.program.readable.isEmpty && !plain.program.usesNetwork)
        #expect(plain.program.memoryMebibyteCount == 1_024 && plain.program.processCount == 128)
    }

    @Test func `all mistakes in scripts and run actions are reported, each with its line`() {
        let found = problems(
            """
            [[script]]
            command = []
            [[script]]
            name = "a b"
            command = "python3 hook.py"
            [[script]]
            name = "c"
            command = ["hook"]
            workers = 17
            timeout_ms = 0
            reads = ["home"]
            shell = true
            memory_mib = 15
            processes = "many"
            [[script]]
            name = "c"
            command = ["hook"]
            [[rule]]
            name = "r"
            connect = [{ run = "c" }]
            request = [
              { run = "d" },
              { run = "c", otherwise = "drop" },
              { run = "c", timeout_ms = 300001 },
              { run = "c", body = "yes" },
              { run = "c", jitter_ms = 1 },
            ]
            """)
        #expect(
            found == [
                "rules.toml:1: a script needs a name",
                "rules.toml:2: command: a program and its arguments, at most 100 words",
                "rules.toml:4: name: 1 to 64 letters, digits, - and _",
                "rules.toml:5: command: expected an array, found a string",
                "rules.toml:9: workers: from 1 to 16",
                "rules.toml:10: timeout_ms: from 1 to 300000",
                "rules.toml:11: reads: home is not an absolute path",
                "rules.toml:12: unknown key shell",
                "rules.toml:13: memory_mib: from 16 to 1048576",
                "rules.toml:14: processes: expected an integer, found a string",
                "rules.toml:16: there is a script named \"c\" already",
                "rules.toml:20: run cannot be done to a connection",
                "rules.toml:22: run: there is no script named \"d\"; did you mean c?",
                "rules.toml:23: otherwise: \"pass\" or \"fail\"",
                "rules.toml:24: timeout_ms: from 1 to 300000",
                "rules.toml:25: body: expected true or false, found a string",
                "rules.toml:26: run takes no jitter_ms",
            ])
    }
}
