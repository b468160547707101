internal import ProxydTerminalLayout
internal import ProxydPresentation
internal import ProxydCurlCommand
internal import ProxydOperations

/// Example commands for an empty list, with the daemon's own address.
struct FirstSteps {
    let status: StatusFacts

    func draw(into canvas: Canvas) {
        var row = 0
        for step in steps {
            row = draw(step.words, row, Style(.plain), canvas)
            for command in step.commands {
                for line in command.lines(width: canvas.columns) {
                    row = draw(line, row, Style(.accent), canvas)
                }
            }
            row += 1
        }
    }

    /// Draws a text in as many rows as needed, so that it can be copied completely.
    private func draw(_ text: String, _ row: Int, _ style: Style, _ canvas: Canvas) -> Int {
        var line = StyledText()
        line.append(text)
        let rows = line.rows(width: max(1, canvas.columns))
        for (index, part) in rows.enumerated() {
            canvas.draw(part.text, row: row + index, style)
        }
        return row + rows.count
    }

    private var steps: [(words: String, commands: [ShellLines])] {
        let curl = "curl -x \(ShellWord.plainOrQuoted(status.proxyURL))"
        let certificate =
            status.certificatePath.map(ShellWord.plainOrQuoted) ?? "\"$(\(own) ca path)\""
        var steps: [(words: String, commands: [ShellLines])] = [
            ("Send something through the proxy:", [[curl, "http://example.com/"]]),
            (
                "For HTTPS, trust the proxy's certificate, for one command or for all:",
                [
                    [curl, "--cacert \(certificate)", "https://example.com/"],
                    [own, "ca install"],
                ]
            ),
        ]
        if status.isDaemonRunning == false { steps.insert(("Start the proxy:", [[start]]), at: 0) }
        return steps
    }

    private var own: String { status.ownCommand ?? "proxyctl" }
    private var start: String { status.daemonCommand ?? "proxyd" }
}

extension ShellWord {
    /// A word quoted for a shell if necessary.
    static func plainOrQuoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_-./:=@%+,".utf8.contains(byte)
            }
        }
        return isPlain && !word.isEmpty ? word : quoted(word)
    }
}
