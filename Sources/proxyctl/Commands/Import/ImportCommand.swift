internal import ProxydInterchange
internal import ProxydPresentation
internal import ArgumentParser
internal import Glibc

/// `proxyctl import`: imports exchanges from files, under new numbers.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import exchanges from a file of any program.",
        discussion: """
            FILE is a HAR file from any program, what export --format jsonl and show --json write, \
            flows of mitmproxy, a JSON session of Charles (.chlsj), an archive of Fiddler (.saz) \
            or a packet capture (pcapng, pcap), which tshark reads; - is standard input, but not \
            for the last two. A HAR file may be in UTF-16, in gzip or alone in a ZIP archive. \
            Invalid entries are reported and skipped. If the file is damaged, what is whole is \
            imported, and the exit code is 1, as it is if more is lost than imported. See \
            docs/IMPORTS.md.
            """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The file to import.", valueName: "file"))
    var file: String
    @Option(
        help: ArgumentHelp(
            "\(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")). "
                + "(default: detected by the content)",
            valueName: "format"), transform: ImportCommand.format)
    var format: ImportFormat?
    @Option(
        help: ArgumentHelp(
            "The TLS keys of a packet capture, as SSLKEYLOGFILE names it.", valueName: "file"))
    var tlsKeys: String?

    func run() throws {
        let input = try InputFile(file, Environment.current)
        let directory = try global.dataDirectory()
        var run = ImportRun(destination: try ImportDestination.open(directory), fileName: file)
        do {
            try Interruption.watched {
                try run.read(input, as: format, keys: tlsKeys, isInterrupted: $0)
            }
        } catch {
            // What was imported before is reported, too.
            let isMisuse = (error as? CommandFailure)?.code == .usage
            if !isMisuse { Report().line(StyledText(ImportCommand.text(run.report))) }
            throw error
        }
        Report().line(StyledText(ImportCommand.text(run.report)))
        if run.report.isDamaged || run.report.lostMost { throw CommandFailure(nil) }
    }

    /// The summary, such as `imported 12 exchanges, 101 to 112; refused 1 entry`.
    private static func text(_ report: ImportReport) -> String {
        var text = "imported \(Quantity.count(report.keptCount, "exchange"))"
        if let first = report.firstID, let last = report.lastID {
            text += first == last ? ", \(first)" : ", \(first) to \(last)"
        }
        if report.refusedCount > 0 { text += "; refused \(report.refusedCount)" }
        if !report.leftOut.isEmpty {
            let kinds = report.leftOut.sorted { $0.key < $1.key }
            text += "; left out "
            text += kinds.map { Quantity.count($0.value, $0.key) }.joined(separator: ", ")
        }
        if report.lostLinkCount > 0 {
            text +=
                "; \(Quantity.count(report.lostLinkCount, "replay link")) pointed outside the file"
        }
        return text
    }

    /// A format by its name, or by another file extension.
    private static func format(_ name: String) throws -> ImportFormat {
        switch name.lowercased() {
        case "pcap": return .pcapng
        case "flows", "mitm": return .mitmproxy
        case let name:
            guard let format = ImportFormat(rawValue: name) else {
                throw ValidationError("\(name) is not a format that can be imported")
            }
            return format
        }
    }
}

/// A file of exchanges in any format.
struct ImportSource {
    private let input: InputFile
    private let format: ImportFormat?
    private let keys: String?

    /// - Parameters:
    ///   - format: Its format; nil to detect it.
    ///   - keys: The name of a file with the TLS keys of a packet capture.
    init(_ input: InputFile, format: ImportFormat?, keys: String?) {
        self.input = input
        self.format = format
        self.keys = keys
    }

    /// Reads the file to its end.
    /// - Parameter progress: Called with the fraction that has been read, if it is known; reading
    ///   stops if it returns false.
    func read(
        progress: (Double?) -> Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        let start = format?.isReadInAnyOrder == true ? nil : try input.next()
        let found = ImportFormat.binary(start ?? [])
        // A HAR log may be in an archive.
        let isArchived = format == .har && found == .saz
        switch isArchived ? .saz : format ?? found {
        case .saz?: try readArchive(progress, take)
        case .pcapng?: try readPackets(progress, take)
        case let format:
            guard keys == nil else {
                throw CommandFailure("--tls-keys is for packet captures", code: .usage)
            }
            try readStream(start, format, progress, take)
        }
    }

    private func readStream(
        _ start: [UInt8]?, _ format: ImportFormat?, _ progress: (Double?) -> Bool,
        _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        var reader = InterchangeReader(format)
        var bytes = start
        while let piece = bytes {
            try reader.receive(piece, take)
            let share = input.byteCount.map { Double(input.position) / Double(max(1, $0)) }
            guard progress(share) else { return }
            bytes = try input.next()
        }
        try reader.finish(take)
    }

    private func readArchive(
        _ progress: (Double?) -> Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard keys == nil else {
            throw CommandFailure("--tls-keys is for packet captures", code: .usage)
        }
        guard let file = input.archive else {
            throw CommandFailure("\(input.name): an archive is read from a file, not from a pipe")
        }
        do {
            if var archive = try HARArchive(file) {
                try archive.read(progress: progress, take)
            } else {
                var archive = try FiddlerArchive(file)
                try archive.read(progress: progress, take)
            }
        } catch let problem as ImportProblem {
            try take(.failure(problem))
        }
    }

    private func readPackets(
        _ progress: (Double?) -> Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard let file = input.archive else {
            throw CommandFailure(
                "\(input.name): a packet capture is read from a file, not from a pipe")
        }
        // tshark would unpack anything that is compressed, however large it becomes.
        guard ImportFormat.binary(try file.read(at: 0, count: 4)) == .pcapng else {
            throw CommandFailure("\(input.name) is not a packet capture")
        }
        try PacketRun(file: file, keys: keys).read(progress: progress, take)
    }
}
