/// What a body is, so that it can be shown or taken apart.
public enum BodyKind: Sendable, Hashable {
    /// No octets.
    case empty
    /// One JSON text.
    case json
    /// Several JSON texts, one a line.
    case jsonLines
    /// application/x-www-form-urlencoded.
    case form
    /// multipart/form-data with its boundary.
    case multipartForm(boundary: [UInt8])
    /// Another multipart type with its boundary.
    case multipart(boundary: [UInt8])
    /// An XML document.
    case xml
    /// An HTML document.
    case html
    /// A style sheet.
    case css
    /// A program in JavaScript.
    case javaScript
    /// text/event-stream.
    case eventStream
    /// Text of no known form.
    case plainText
    /// A property list in XML.
    case propertyListXML
    /// A binary property list.
    case propertyListBinary
    /// An image of this subtype: `png`, `svg+xml`…
    case image(String)
    /// Sound.
    case audio
    /// A film.
    case video
    /// A font.
    case font
    /// A PDF document.
    case pdf
    /// zip, gzip, zstd and the like, as content rather than as content coding.
    case archive
    /// A WebAssembly module.
    case webAssembly
    /// Protocol Buffers.
    case protobuf
    /// Messages of gRPC, each with its length before it.
    case grpc
    /// MessagePack.
    case messagePack
    /// CBOR (RFC 8949).
    case cbor
    /// None of the above, or not known.
    case binary
}
