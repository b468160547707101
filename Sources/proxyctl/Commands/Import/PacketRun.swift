internal import ProxydConfinement
internal import ProxydInterchange
internal import FoundationEssentials
internal import Glibc

/// Reads a packet capture through tshark, which decrypts TLS and puts segments together.
///
/// tshark's dissectors have had many faults, so it runs confined: it reads the capture from a pipe,
/// sees nothing of the machine but the system's folders, writes to a folder of its own, and has no
/// network and no privileges.
struct PacketRun {
    private static let keysByteCountMax = 64 << 20
    private static let limits = ConfinedCommand.Limits(
        memoryByteCount: 2 << 30, computingSeconds: 600)

    let file: InputArchive
    let keys: String?

    func read(
        progress: (Double?) -> Bool, _ take: (InterchangeReader.Entry) throws -> Void
    ) throws {
        guard Environment.current.runner.find("tshark") != nil else {
            throw CommandFailure(
                "packet captures are read by tshark, which is not installed; on Debian: "
                    + "apt install tshark")
        }
        // Removed even if this process is killed: it has the keys.
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let scratch = folder.path
        let options = try prepareKeys(in: scratch)
        var capture = PacketCapture()
        guard
            let end = try run(
                PacketCapture.indexArguments + options, scratch, progress: progress,
                { capture.receive(index: $0) })
        else { return }
        try capture.finishIndex(problem: end.problem, take)
        while let arguments = capture.nextArguments() {
            let end = try run(arguments + options, scratch, progress: progress) {
                try capture.receive(followed: $0, take)
            }
            guard end != nil else { return }
        }
    }

    /// Copies the keys to where tshark can read them.
    private func prepareKeys(in scratch: String) throws -> [String] {
        guard let keys else { return [] }
        let bytes = try InputFile.contents(
            of: keys, upTo: PacketRun.keysByteCountMax,
            else: CommandFailure("\(keys) is too large to be a file of TLS keys"))
        let path = scratch + "/keys"
        try AtomicFile.write(bytes, to: path)
        return ["-o", "tls.keylog_file:\(path)"]
    }

    /// Runs tshark over the whole file; returns nil if it was interrupted.
    private func run(
        _ arguments: [String], _ scratch: String, progress: (Double?) -> Bool,
        _ take: ([UInt8]) throws -> Void
    ) throws -> PacketChild.End? {
        let isConfined = (try? Landlock.version()) != nil
        let command = ConfinedCommand(
            ["tshark", "-r", "-"] + arguments, in: scratch, scratch: scratch, readable: [],
            hidden: [], confinement: isConfined ? .confined(usesNetwork: false) : .none,
            limits: PacketRun.limits)
        let child = try PacketChild(command, file)
        let end = try child.run(progress: progress, take)
        if let end, end.hasFailed { throw CommandFailure("tshark: \(end.problem ?? "it failed")") }
        return end
    }
}

/// A run of tshark: it gets the file through a pipe, and its output is passed on as it comes.
final class PacketChild {
    struct End {
        /// Whether it did not read the file at all.
        let hasFailed: Bool
        /// tshark's message about a file that it could not read to its end; nil if it could.
        let problem: String?
    }

    private static let pieceByteCount = 256 << 10
    private static let errorByteCountMax = 16 << 10
    private static let stepMs: Int32 = 200

    private let process: ConfinedProcess
    private let file: InputArchive
    private var offset: Int64 = 0
    private var piece: ArraySlice<UInt8> = []
    private var isInputDone = false
    private var isOutputDone = false
    private var areErrorsDone = false
    private var said: [UInt8] = []

    init(_ command: ConfinedCommand, _ file: InputArchive) throws {
        do {
            process = try ConfinedProcess(command, by: "/proc/self/exe")
        } catch {
            throw CommandFailure("tshark cannot be started: \(error)")
        }
        self.file = file
        // A tshark that ends early is noticed by its status.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Runs it to its end; returns nil if `progress` stops it.
    func run(progress: (Double?) -> Bool, _ take: ([UInt8]) throws -> Void) throws -> End? {
        var grace = 0
        defer { if grace == 0 { process.end(graceMilliseconds: 0) } }
        while !isOutputDone || !areErrorsDone {
            guard progress(Double(offset) / Double(max(1, file.byteCount))) else { return nil }
            var watched = [
                pollfd(fd: isInputDone ? -1 : process.input, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: isOutputDone ? -1 : process.output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: areErrorsDone ? -1 : process.errors, events: Int16(POLLIN), revents: 0),
            ]
            poll(&watched, nfds_t(watched.count), PacketChild.stepMs)
            if watched[0].revents != 0 { try give() }
            if watched[1].revents != 0 { try takeOutput(take) }
            if watched[2].revents != 0 { takeErrors() }
        }
        grace = 5_000
        return end(process.end(graceMilliseconds: grace))
    }

    private func end(_ ending: ConfinedProcess.Ending) -> End {
        guard ending != .exited(0) else { return End(hasFailed: false, problem: nil) }
        let lines = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
        let line = lines.last { !$0.hasPrefix("Running as user") }.map(String.init)
        let text = line.map { $0.hasPrefix("tshark: ") ? String($0.dropFirst(8)) : $0 }?
            .replacing("The standard input", with: "the file")
        // 2: it read a part of the file.
        let isPartial = ending == .exited(2)
        return End(hasFailed: !isPartial, problem: text ?? ending.description)
    }

    private func give() throws {
        if piece.isEmpty {
            piece = try file.read(at: offset, count: PacketChild.pieceByteCount)[...]
            offset += Int64(piece.count)
        }
        guard !piece.isEmpty else { return endInput() }
        let count = piece.withUnsafeBytes { write(process.input, $0.baseAddress, $0.count) }
        if count > 0 {
            piece = piece.dropFirst(count)
        } else if count < 0, errno != EAGAIN, errno != EINTR {
            endInput()
        }
    }

    private func endInput() {
        isInputDone = true
        process.closeInput()
    }

    private func takeOutput(_ take: ([UInt8]) throws -> Void) throws {
        guard let bytes = PacketChild.read(process.output) else {
            isOutputDone = true
            return
        }
        if !bytes.isEmpty { try take(bytes) }
    }

    private func takeErrors() {
        guard let bytes = PacketChild.read(process.errors) else {
            areErrorsDone = true
            return
        }
        said = (said + bytes).suffix(PacketChild.errorByteCountMax)
    }

    /// The available bytes; nil at the end.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: pieceByteCount) {
            count = Glibc.read(descriptor, $0.baseAddress, $0.count)
            $1 = max(0, count)
        }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? [] : nil }
        return count == 0 ? nil : bytes
    }
}
