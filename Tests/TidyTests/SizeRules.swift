/// How long lines, functions and files may be.
enum SizeRules {
    static let lineLengthMax = 100
    static let functionLineCountMax = 70
    static let fileLineCountMax = 500

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        if file.lines.count > fileLineCountMax {
            findings.append(
                Finding(
                    file: file.path,
                    line: fileLineCountMax + 1,
                    message: "the file has \(file.lines.count) lines, \(fileLineCountMax) at most"
                )
            )
        }
        for (index, line) in file.lines.enumerated() where line.count > lineLengthMax {
            findings.append(
                Finding(
                    file: file.path,
                    line: index + 1,
                    message: "the line has \(line.count) characters, \(lineLengthMax) at most"
                )
            )
        }
        return findings + longFunctions(in: file)
    }

    /// Functions end at the first closing brace as far left as they begin, as formatted.
    private static func longFunctions(in file: SourceFile) -> [Finding] {
        file.lines.indices.compactMap { start in
            guard startsFunction(file.lines[start]) else { return nil }
            let indentation = file.lines[start].prefix { $0 == " " }
            guard
                let end = file.lines[start...].firstIndex(where: { $0.hasPrefix(indentation + "}") }
                ),
                let bodyStart = file.lines[start...end].firstIndex(where: { $0.hasSuffix("{") }),
                // A declaration without a body ends before the next line as far left.
                file.lines[(start + 1)...].prefix(bodyStart - start).allSatisfy({
                    $0.hasPrefix(indentation + " ") || $0.hasPrefix(indentation + ")") || $0.isEmpty
                })
            else { return nil }
            let count = end - start + 1
            guard count > functionLineCountMax else { return nil }
            return Finding(
                file: file.path,
                line: start + 1,
                message: "the function has \(count) lines, \(functionLineCountMax) at most"
            )
        }
    }

    private static func startsFunction(_ line: String) -> Bool {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//") else { return false }
        let words = code.split(separator: " ").prefix {
            !$0.contains("(") || $0.hasPrefix("private(")
        }
        return words.contains("func") || code.hasPrefix("init") || code.hasPrefix("deinit")
            || code.contains(" init(") && words.allSatisfy { $0.allSatisfy(\.isLetter) }
    }
}
