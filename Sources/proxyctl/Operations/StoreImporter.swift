internal import Capture
internal import ProxydCaptureModel
internal import ProxydOperations
internal import ProxydPresentation
internal import ProxydSystem
internal import Glibc
internal import Synchronization

/// Imports files that clients of the page upload, as `proxyctl import` does.
struct StoreImporter: ExchangeImporting {
    let directory: DataDirectory
    let byteCountMax: Int64

    func receive() throws -> any UploadedFile {
        try InterfaceFailure.explaining { try TemporaryUpload() }
    }

    func importExchanges(
        of file: any UploadedFile, named name: String, tag: String?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> ImportOutcome {
        try TemporaryUpload.read(file, named: name, into: directory, tag: tag, isCancelled)
    }
}

/// An uploaded file, in a folder of its own.
final class TemporaryUpload: UploadedFile {
    private let folder: Mutex<TemporaryFolder>
    private let path: String
    private let descriptor: Int32

    init() throws {
        let folder = try TemporaryFolder()
        path = folder.path + "/upload"
        self.folder = Mutex(folder)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("\(path): \(SystemError())") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        folder.withLock { $0.remove() }
    }

    func append(_ bytes: Span<UInt8>) throws {
        let copy = bytes.withUnsafeBufferPointer { Array($0) }
        do throws(SystemError) {
            try FullWrite.write(copy, to: descriptor)
        } catch {
            throw InterfaceFailure(description: "the upload cannot be kept: \(error)")
        }
    }

    /// Reads a file into a data directory, without progress on this program's terminal.
    static func read(
        _ file: any UploadedFile, named name: String, into directory: DataDirectory,
        tag: String? = nil, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> ImportOutcome {
        guard let upload = file as? TemporaryUpload else {
            throw InterfaceFailure(description: "the upload is not there any more")
        }
        let complaints = LineSink()
        var environment = Environment.current
        environment.errors = complaints
        environment.errorColumnCount = nil
        let report = try Environment.$current.withValue(environment) {
            try InterfaceFailure.explaining {
                var run = ImportRun(
                    destination: try ImportDestination.open(directory), fileName: name, tag: tag)
                try run.read(
                    try InputFile(upload.path, environment), isInterrupted: isCancelled)
                return run.report
            }
        }
        let outcome = ImportOutcome(
            importedCount: report.keptCount, refusedCount: report.refusedCount,
            first: report.firstID, last: report.lastID,
            remarks: complaints.lines(without: name) + report.remarks)
        guard outcome.importedCount > 0 else {
            throw ImportRefusal(outcome.remarks.first ?? "it has no exchanges")
        }
        return outcome
    }
}

/// Keeps the lines that are written to it.
private final class LineSink: ByteSink {
    private let bytes = Mutex<[UInt8]>([])

    var failure: Int32? { nil }

    func write(_ bytes: [UInt8]) { self.bytes.withLock { $0 += bytes } }

    func flush() {}

    /// The lines without the names of program and file.
    func lines(without name: String) -> [String] {
        let prefixes = ["proxyctl: ", "\(name): "]
        return String(decoding: bytes.withLock { $0 }, as: UTF8.self).split(separator: "\n").map {
            prefixes.reduce(String($0)) { line, prefix in
                line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line
            }
        }
    }
}

extension ImportReport {
    /// What is not an exchange, as a sentence; empty if there is nothing of the kind.
    fileprivate var remarks: [String] {
        guard !leftOut.isEmpty else { return [] }
        let kinds = leftOut.sorted { $0.key < $1.key }.map { Quantity.count($0.value, $0.key) }
        return ["left out: \(kinds.joined(separator: ", "))"]
    }
}
