internal import ProxydInterchange

/// A file of exchanges in any format.
struct ImportSource {
    private let input: InputFile
    private let format: ImportFormat?
    private let keys: String?

    /// - Parameters:
    ///   - format: Its format; nil if its start tells.
    ///   - keys: The name of a file with the TLS keys of a packet capture.
    init(_ input: InputFile, format: ImportFormat?, keys: String?) {
        self.input = input
        self.format = format
        self.keys = keys
    }

    /// Reads the file to its end.
    /// - Parameter progress: Called with the share that was read, if it is known; reading stops if
    ///   it returns false.
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
