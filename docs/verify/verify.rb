require 'openssl'

TOLERANCE_S = 5 * 60

# body: exact text of the request; headers by lower-case name; secrets: old and new whsec_...
def signed?(body, headers, secrets)
  id, timestamp = headers['webhook-id'].to_s, headers['webhook-timestamp'].to_s
  return false unless timestamp.match?(/\A\d+\z/) && (Time.now.to_i - timestamp.to_i).abs <= TOLERANCE_S
  signatures = headers['webhook-signature'].to_s.split(' ')
  secrets.any? do |secret|
    key = secret.delete_prefix('whsec_').unpack1('m')
    expected = 'v1,' + [OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body.b)].pack('m0')
    signatures.any? do |signature|
      signature.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(signature, expected)
    end
  end
end
