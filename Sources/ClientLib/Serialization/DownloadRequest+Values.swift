public import ProxydCharsets
public import Dispatch
public import FoundationEssentials

// Serializing a downloaded file reads all of it into memory.

extension DownloadRequest {
    /// Calls `completionHandler` with the file's bytes on `queue`, or in the request's own task.
    @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<[UInt8]>) -> Void
    ) -> Self {
        response(using: .data, completionHandler: queue.calling(completionHandler))
    }

    /// Calls `completionHandler` with the file as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil, charset: Charset? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        response(
            using: StringResponseSerializer(charset: charset),
            completionHandler: queue.calling(completionHandler))
    }

    /// Calls `completionHandler` with the file as a decoded value.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self, queue: DispatchQueue? = nil,
        decoder: any DataDecoder = JSONDecoder(),
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        response(
            using: DecodableResponseSerializer(decoder: decoder),
            completionHandler: queue.calling(completionHandler))
    }

    /// Waits for the file and reads it as text.
    public func serializingString(
        automaticallyCancelling: Bool = true, charset: Charset? = nil
    ) -> DownloadTask<String> {
        serializingDownload(
            using: StringResponseSerializer(charset: charset),
            automaticallyCancelling: automaticallyCancelling)
    }
}
