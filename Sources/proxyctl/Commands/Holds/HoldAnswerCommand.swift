internal import ArgumentParser
internal import ProxydControl
internal import ProxydHTTPModel

/// `proxyctl hold answer`: answers the client without contacting a server.
struct HoldAnswerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer the client instead of the server.",
        discussion: "The answer is sent to the client exactly as given: response rules do not act "
            + "on it, and it is not held again.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The hold's number.")
    var hold: Int64
    @Option(help: ArgumentHelp("The status, from 200 to 599.", valueName: "n"))
    var status: Int
    @Option(help: ArgumentHelp("A header field; may be repeated.", valueName: "name: value"))
    var header: [String] = []
    @Option(help: ArgumentHelp("The body.", valueName: "text"))
    var body: String?
    @Option(
        help: ArgumentHelp("Read the body from a file; - is standard input.", valueName: "file"))
    var bodyFile: String?
    @Flag(help: "Print the decision as a JSON object.")
    var json = false

    func validate() throws {
        if body != nil, bodyFile != nil {
            throw ValidationError("--body and --body-file cannot be combined")
        }
        for line in header where line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }) {
            throw ValidationError(
                "a header field must not contain control characters: \(line.debugDescription)")
        }
    }

    func run() throws {
        let content = try bodyFile.map(HoldAccess.contents) ?? Array((body ?? "").utf8)
        // The daemon validates the lines: it knows what a head may contain.
        var head = "HTTP/1.1 \(status) \(StatusReason.text(of: status))\r\n"
        for line in header { head += "\(line)\r\n" }
        let client = try DaemonAccess.running(global)
        try HoldAccess.decide(hold) { () throws(ControlError) in
            try client.answer(hold, head: Array((head + "\r\n").utf8), body: content)
        }
        if json { HoldAccess.report("answered", hold) }
    }
}
