internal import ProxydConfigurationText

extension RuleScript {
    /// Reads a `[[script]]` table; returns nil if it is invalid, after reporting why.
    init?(_ table: inout TableReader) {
        let name = table.required("name", as: String.self, or: "a script needs a name")
        let command = table.required(
            "command", as: [String].self, or: "a script needs a command: [\"python3\", \"hook.py\"]"
        )
        let workerCount = table.value("workers", as: Int.self) ?? 1
        let timeout =
            table.value("timeout_ms", as: Int.self) ?? RuleScript.timeoutMillisecondsByDefault
        let readable = table.value("reads", as: [String].self) ?? []
        let usesNetwork = table.value("network", as: Bool.self) ?? false
        let memory =
            table.value("memory_mib", as: Int.self) ?? RuleScript.memoryMebibyteCountByDefault
        let processCount =
            table.value("processes", as: Int.self) ?? RuleScript.processCountByDefault
        RuleScript.check(memory, RuleScript.memoryMebibyteCountAllowed, "memory_mib", table)
        RuleScript.check(processCount, RuleScript.processCountAllowed, "processes", table)
        RuleScript.check(workerCount, RuleScript.workerCountAllowed, "workers", table)
        RuleScript.check(timeout, RuleScript.timeoutMillisecondsAllowed, "timeout_ms", table)
        if let name, !RuleScript.isName(name) {
            table.report("name: 1 to 64 letters, digits, - and _", at: "name")
        }
        if let command, !RuleScript.isCommand(command) {
            table.report(
                "command: a program and its arguments, at most \(RuleScript.wordCountMax) words",
                at: "command")
        }
        for path in readable where !path.hasPrefix("/") || path.utf8.contains(0) {
            table.report("reads: \(path) is not an absolute path", at: "reads")
        }
        guard let name, let command else { return nil }
        self.init(
            name: name, line: table.position.line,
            program: Program(
                command: command, workerCount: workerCount, readable: readable,
                usesNetwork: usesNetwork, memoryMebibyteCount: memory,
                processCount: processCount), timeoutMilliseconds: timeout)
    }

    private static func check(
        _ number: Int, _ allowed: ClosedRange<Int>, _ key: String, _ table: TableReader
    ) {
        guard !allowed.contains(number) else { return }
        table.report("\(key): from \(allowed.lowerBound) to \(allowed.upperBound)", at: key)
    }

    /// The name is also used for a folder.
    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }

    private static func isCommand(_ command: [String]) -> Bool {
        (1...wordCountMax).contains(command.count) && command.first?.isEmpty == false
            && command.allSatisfy {
                !$0.utf8.contains(0) && $0.utf8.count <= RuleSet.valueByteCountMax
            }
    }
}

extension RuleScriptCall {
    /// Reads `run = NAME`, with `body`, `timeout_ms` and `otherwise`.
    /// - Parameter scripts: The names of the file's scripts.
    init?(_ table: inout TableReader, among scripts: [String]) {
        let sendsBody = table.value("body", as: Bool.self) ?? false
        let timeout = table.value("timeout_ms", as: Int.self)
        let otherwise = table.value("otherwise", as: String.self) ?? Otherwise.pass.rawValue
        guard let name = table.value("run", as: String.self) else { return nil }
        guard scripts.contains(name) else {
            table.report(
                "run: there is no script named \"\(name)\""
                    + NearMiss.hint(for: name, among: scripts), at: "run")
            return nil
        }
        let allowed = RuleScript.timeoutMillisecondsAllowed
        if let timeout, !allowed.contains(timeout) {
            table.report(
                "timeout_ms: from \(allowed.lowerBound) to \(allowed.upperBound)",
                at: "timeout_ms")
            return nil
        }
        guard let otherwise = Otherwise(rawValue: otherwise) else {
            table.report("otherwise: \"pass\" or \"fail\"", at: "otherwise")
            return nil
        }
        self.init(
            script: name, sendsBody: sendsBody, timeoutMilliseconds: timeout, otherwise: otherwise)
    }
}
