/// The kind of a body, which determines how it is shown and parsed.
public enum BodyKind: Sendable, Hashable {
    /// The body has no bytes.
    case empty
    /// A single JSON text.
    case json
    /// Several JSON texts, one per line.
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
    /// JavaScript source code.
    case javaScript
    /// text/event-stream.
    case eventStream
    /// Text of no other known kind.
    case plainText
    /// A property list in XML.
    case propertyListXML
    /// A binary property list.
    case propertyListBinary
    /// An image of this subtype: `png`, `svg+xml`…
    case image(String)
    /// Audio of any format.
    case audio
    /// Video of any format.
    case video
    /// A font.
    case font
    /// A PDF document.
    case pdf
    /// zip, gzip, zstd and the like, as content rather than as content coding.
    case archive
    /// A WebAssembly module.
    case webAssembly
    /// A Protocol Buffers message.
    case protobuf
    /// Messages of gRPC, gRPC-Web or Connect, each with its length prefix.
    case grpc
    /// MessagePack.
    case messagePack
    /// CBOR (RFC 8949).
    case cbor
    /// None of the above, or unknown.
    case binary
}
