import ProxydParameterCoding

/// The parameters of a request given as text.
func extract(
    query: String = "",
    contentType: String? = nil,
    body: String = "",
    limits: ExtractionLimits = ExtractionLimits()
) -> [ExtractedParameter] {
    extract(query: query, contentType: contentType, octets: Array(body.utf8), limits: limits)
}

/// The parameters of a request whose body is given as bytes.
func extract(
    query: String = "",
    contentType: String? = nil,
    octets: [UInt8],
    limits: ExtractionLimits = ExtractionLimits(),
    charsetDecoder: CharsetDecoder? = nil
) -> [ExtractedParameter] {
    let queryOctets = Array(query.utf8)
    return ParameterExtractor.extract(
        query: queryOctets.span,
        contentType: contentType,
        body: octets.span,
        limits: limits,
        charsetDecoder: charsetDecoder
    )
}
