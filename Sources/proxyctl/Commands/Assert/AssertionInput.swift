internal import FoundationEssentials
internal import ProxydAssertions
internal import ProxydConfigurationText
internal import ProxydFilter
internal import ProxydSystem

/// An assertion file, and the golden files beside it.
struct AssertionInput {
    /// The path of the file.
    let path: String
    let assertions: AssertionSet
    /// The exchanges that are looked at.
    let scope: Filter

    /// Reads a file; its mistakes are printed, one per line.
    init(_ path: String, scope: String?) throws {
        self.path = path
        let own = try scope.map(FilterArgument.parse)
        do throws(ConfigurationError) {
            assertions = try AssertionInput.read(path)
        } catch {
            for problem in error.problems.dropLast() { AssertionInput.tell(problem) }
            error.problems.last.map(AssertionInput.tell)
            throw CommandFailure(nil, code: .data)
        }
        self.scope = own ?? assertions.scope
    }

    private static func read(_ path: String) throws(ConfigurationError) -> AssertionSet {
        let text: String
        do throws(ConfigurationValueError) {
            text = try ConfigurationFile.contents(of: path)
        } catch {
            throw ConfigurationError(error, of: path)
        }
        return try AssertionFile.read(text, file: path, now: SystemClock.wallNow())
    }

    /// Prints a mistake as `FILE:LINE: what`, for editors to find the place.
    private static func tell(_ problem: ConfigurationProblem) {
        let errors = Environment.current.errors
        errors.write(Array("\(problem)\n".utf8))
        errors.flush()
    }

    // MARK: Golden files

    private func path(of golden: GoldenExpectation) -> String {
        guard !golden.file.hasPrefix("/") else { return golden.file }
        let folder = path.parentFolder
        return folder.isEmpty ? golden.file : "\(folder)/\(golden.file)"
    }

    /// The bytes of a golden file; nil if it does not exist.
    func contents(of golden: GoldenExpectation) throws -> [UInt8]? {
        let path = path(of: golden)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let input = try InputFile(path, .current)
        var bytes: [UInt8] = []
        while let more = try input.next() {
            bytes += more
            guard bytes.count <= GoldenText.byteCountMax else {
                throw CommandFailure(
                    "\(path): larger than \(GoldenText.byteCountMax) bytes", code: .data)
            }
        }
        return bytes
    }

    /// Compares exchanges with a golden file.
    func compared(_ check: GoldenCheck, _ golden: GoldenExpectation) throws -> AssertionResult {
        let bytes = try contents(of: golden)
        do throws(GoldenText.Mistake) {
            return try check.compared(to: bytes)
        } catch {
            throw CommandFailure("\(path(of: golden)): \(error.message)", code: .data)
        }
    }

    /// Writes a golden file, unless it has these contents already.
    func write(_ bytes: [UInt8], to golden: GoldenExpectation) throws {
        let path = path(of: golden)
        if let before = FileManager.default.contents(atPath: path), [UInt8](before) == bytes {
            return
        }
        let folder = path.parentFolder
        if !folder.isEmpty {
            try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }
        let file = try AtomicFile(path, keepsAccess: true)
        file.sink.write(bytes)
        try file.commit()
    }
}
