internal import FoundationEssentials
internal import ProxydConfinement
internal import ProxydInterchange

/// Reads a packet capture through tshark, which decrypts TLS and puts segments together.
///
/// tshark's dissectors have had many faults, so it runs confined: it reads the capture from a pipe,
/// sees nothing of the machine but the system's folders, writes to a folder of its own, and has no
/// network and no privileges.
struct PacketRun {
    private static let keysByteCountMax: Int64 = 64 << 20
    private static let limits = ConfinedCommand.Limits(
        memoryByteCount: 2 << 30, computingSeconds: 600)

    private let file: InputArchive
    private let keys: String?

    init(file: InputArchive, keys: String?) {
        self.file = file
        self.keys = keys
    }

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
        let input = try InputFile(keys, Environment.current)
        var bytes: [UInt8] = []
        while let piece = try input.next() {
            bytes += piece
            guard bytes.count <= PacketRun.keysByteCountMax else {
                throw CommandFailure("\(keys) is too large to be a file of TLS keys")
            }
        }
        let path = scratch + "/keys"
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("\(path) cannot be written") }
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
            hidden: [],
            confinement: isConfined ? .confined(usesNetwork: false) : .none,
            limits: PacketRun.limits)
        let child = try PacketChild(command, file)
        let end = try child.run(progress: progress, take)
        if let end, end.hasFailed {
            throw CommandFailure("tshark: \(end.problem ?? "it failed")")
        }
        return end
    }
}
