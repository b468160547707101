public import ProxydHTTPModel

/// Takes files of exchanges that clients upload, and imports them.
public protocol ExchangeImporting: Sendable {
    /// The most bytes of a file.
    var byteCountMax: Int64 { get }
    /// Prepares for a file. Throws an error message for the user.
    func receive() throws -> any UploadedFile
    /// Imports what is in a file, with this tag if one is given. What could not be read is in the
    /// report. Throws an error message for the user if nothing could be imported.
    /// - Parameter name: Its name at the client, for messages.
    func importExchanges(
        of file: any UploadedFile, named name: String, tag: String?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws -> ImportOutcome
}

/// A file that is being uploaded. Only its owner can read it; it is removed with this object.
public protocol UploadedFile: AnyObject, Sendable {
    /// Adds bytes at the end. Throws an error message for the user.
    func append(_ bytes: Span<UInt8>) throws
}

public struct ImportOutcome: Sendable, Hashable {
    public var importedCount: Int
    public var refusedCount: Int
    /// The first and the last number that the exchanges got; nil if there are none.
    public var first: ExchangeID?
    public var last: ExchangeID?
    /// What could not be read, and why.
    public var remarks: [String]

    public init(
        importedCount: Int, refusedCount: Int, first: ExchangeID?, last: ExchangeID?,
        remarks: [String]
    ) {
        self.importedCount = importedCount
        self.refusedCount = refusedCount
        self.first = first
        self.last = last
        self.remarks = remarks
    }
}

/// A file that cannot be imported, for a reason that lies in the file.
public struct ImportRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
