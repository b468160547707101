public import Foundation
public import ProxydParameterCoding

extension MultipartFormData {
    /// Writes the whole body into a new file, to be sent later, or more than once, with
    /// `contentType`. Not all of it is ever in memory.
    /// - Throws: `.multipartEncodingFailed`, what a stream throws, and `.fileSystem` where the file
    ///   exists or cannot be written; what was written then is removed.
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
            while let piece = try await source.next() { try file.write(contentsOf: piece) }
            try file.close()
        } catch {
            try? FileManager.default.removeItem(at: fileURL)
            throw ClientError.wrapping(error, as: .multipartEncodingFailed)
        }
    }

    private static func newFile(at fileURL: URL) throws(ClientError) -> FileHandle {
        do {
            try Data().write(to: fileURL, options: .withoutOverwriting)
            return try FileHandle(forWritingTo: fileURL)
        } catch {
            throw ClientError(.fileSystem(.writingTemporaryFile), underlying: error)
        }
    }
}
