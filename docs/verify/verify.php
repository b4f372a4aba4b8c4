<?php
const TOLERANCE_S = 5 * 60;

/** $body: exact text of the request; $headers by lower-case name; $secrets: old and new whsec_… */
function is_signed(string $body, array $headers, array $secrets): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!preg_match('/^\d+$/D', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_S) return false;
    foreach ($secrets as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
            if (hash_equals($expected, $signature)) return true;
        }
    }
    return false;
}
