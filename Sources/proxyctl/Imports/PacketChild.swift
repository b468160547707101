internal import Glibc
internal import ProxydConfinement

/// A run of tshark: it is given the file by a pipe, and what it writes is passed on as it comes.
final class PacketChild {
    /// How it ended.
    struct End {
        /// Whether it did not read the file at all.
        let hasFailed: Bool
        /// What it says about a file that it could not read to its end; nil if it could.
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
        // A tshark that ends early is seen by its status.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Runs it to its end; returns nil if `progress` says so.
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

    /// What there is to read; nil at the end.
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
