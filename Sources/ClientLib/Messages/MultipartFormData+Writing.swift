public import FoundationEssentials
public import ProxydParameterCoding

extension MultipartFormData {
    /// Writes the whole body to a new file, to be sent later, or more than once, with
    /// `contentType`. The whole body is never in memory.
    /// - Throws: `.multipartEncodingFailed`, any error of a stream, and `.fileSystem` if the file
    ///   exists or cannot be written; a partly written file is then removed.
    public func writeEncodedData(
        to fileURL: URL, streams: [Int: BodyStream] = [:]
    ) async throws {
        var source: MultipartSource
        do {
            source = try MultipartSource(self, streams: streams)
        } catch {
            throw ClientError(.multipartEncodingFailed, underlying: error)
        }
        let file = try Self.newFile(at: fileURL)
        do {
            while let piece = try await source.next() { try file.write(piece) }
            file.close()
        } catch {
            try? FileManager.default.removeItem(at: fileURL)
            throw ClientError.wrapping(error, as: .multipartEncodingFailed)
        }
    }

    private static func newFile(at fileURL: URL) throws(ClientError) -> TemporaryFile {
        do {
            try Data().write(to: fileURL, options: .withoutOverwriting)
        } catch {
            throw ClientError(.fileSystem(.writingTemporaryFile), underlying: error)
        }
        return try TemporaryFile(appendingTo: fileURL.path(percentEncoded: false), byteCount: 0)
    }
}
