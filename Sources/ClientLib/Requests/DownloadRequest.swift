public import FoundationEssentials
public import ProxydHTTPModel

/// A request whose response is written to a file.
public final class DownloadRequest: ClientRequest {
    /// The implementation that all kinds of requests share.
    public let core: RequestCore
    let file: DownloadFile

    /// Options for moving a file to its destination.
    public struct Options: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: Int
        /// Creates options from bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Creates missing directories of the destination.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// Removes an existing file at the destination.
        public static let removePreviousFile = Options(rawValue: 1 << 1)
    }

    /// Chooses the destination from the temporary file's location and the head of the response.
    /// Called after the response has passed validation.
    public typealias Destination =
        @Sendable (_ temporaryURL: URL, _ response: ResponseHead) -> (
            destinationURL: URL, options: Options
        )

    init(_ core: RequestCore, file: DownloadFile) {
        self.core = core
        self.file = file
    }

    /// What is needed to resume the download after it ended early, or nil if it cannot be resumed.
    public var resumeData: DownloadResumeData? { core.read { $0.completion?.resumeData } }
    /// The location of the file, or nil until it is complete.
    public var fileURL: URL? { core.read { $0.completion?.filePath }.map { URL(filePath: $0) } }

    /// Cancels the download; with `producingResumeData`, the partial file is kept and `resumeData`
    /// describes how to resume.
    @discardableResult
    public func cancel(producingResumeData isWanted: Bool) -> Self {
        file.keepsPartOnCancel = isWanted
        return cancel()
    }

    /// Cancels the download and passes the resume data to the handler, or nil if it cannot be
    /// resumed.
    @discardableResult
    public func cancel(
        byProducingResumeData handler: @escaping @Sendable (DownloadResumeData?) -> Void
    ) -> Self {
        response { handler($0.resumeData) }
        return cancel(producingResumeData: true)
    }

    /// A destination in a directory, named as the server suggests, or after the last component of
    /// the URL's path, or after its host. The name is made safe: never outside the directory, never
    /// hidden. Without `directory`, it is the user's download folder.
    public static func suggestedDownloadDestination(
        in directory: URL? = nil, options: Options = []
    ) -> Destination {
        { temporaryURL, response in
            let folder = directory ?? URL(filePath: DownloadName.userDirectory)
            let fallback = temporaryURL.lastPathComponent
            let name = DownloadName.suggested(by: response) ?? fallback
            return (folder.appending(path: name), options)
        }
    }
}
