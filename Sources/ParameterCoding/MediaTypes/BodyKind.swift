/// What a body is, so that it can be shown or taken apart.
public enum BodyKind: Sendable, Hashable {
    /// No octets.
    case empty
    case json
    /// Several JSON texts, one a line.
    case jsonLines
    /// application/x-www-form-urlencoded.
    case form
    /// multipart/form-data with its boundary.
    case multipartForm(boundary: [UInt8])
    /// Another multipart type with its boundary.
    case multipart(boundary: [UInt8])
    case xml
    case html
    case css
    case javaScript
    /// text/event-stream.
    case eventStream
    case plainText
    case propertyListXML
    case propertyListBinary
    /// An image of this subtype: `png`, `svg+xml`…
    case image(String)
    case audio
    case video
    case font
    case pdf
    /// zip, gzip, zstd and the like, as content rather than as content coding.
    case archive
    case webAssembly
    case protobuf
    case grpc
    case messagePack
    case cbor
    /// None of the above, or not known.
    case binary
}
