# bash first-invoice.sh [ORDER]; needs SELLO_URL, SELLO_API_KEY, ISSUER_ID, ESTABLISHMENT_ID and EMISSION_POINT_ID.
order=${1:-1042}
field() { node -pe "JSON.parse(require('fs').readFileSync(0)).$1"; }
give_up() { echo "$*" >&2; exit 1; }
# One call, repeated while no whole answer comes, or one that may pass: the idempotency key makes that safe.
sello() {
  for pause in 1 2 4 8 0; do
    code=000
    if answer=$(curl -sS -w '\n%{http_code}' -H "X-API-Key: $SELLO_API_KEY" "$@" 2>&1); then code=${answer##*$'\n'}; fi
    case $code in
      2??) printf %s "${answer%$'\n'*}"; return ;;
      000 | 429 | 5??) sleep "$pause" ;;
      *) break ;;
    esac
  done
  give_up "$answer"
}

# 1. Issue. Ecuador's day; the order as the key, so that a repeated call makes no second invoice.
invoice=$(cat <<BODY
{
  "issuer_id": "$ISSUER_ID", "establishment_id": "$ESTABLISHMENT_ID", "emission_point_id": "$EMISSION_POINT_ID",
  "document_type": "01", "issue_date": "$(TZ=ECT5 date +%F)", "numeric_code": "12345678",
  "buyer_id_type": "05", "buyer_id": "1710034065", "buyer_name": "María José Peña", "buyer_email": "maria.jose@example.com",
  "lines": [{ "line_number": 1, "description": "Café tostado, 500 g", "quantity": 4, "unit_price": 12.50, "subtotal": "50.00", "tax_rate_code": "4" }],
  "subtotal": "50.00", "total_tax": "7.50", "total": "57.50",
  "taxes": [{ "tax_code": "2", "tax_rate_code": "4", "taxable_base": "50.00", "rate": 0.15, "tax_amount": "7.50" }],
  "payments": [{ "line_number": 1, "payment_method_code": "20", "total": "57.50" }]
}
BODY
)
accepted=$(sello "$SELLO_URL/documents" -H 'Content-Type: application/json' -H "Idempotency-Key: order-$order" -d "$invoice") || exit 1
document_id=$(echo "$accepted" | field document_id)

# 2. Wait for the end. (Or name a webhook, which is called then.)
while true; do
  sleep 1
  document=$(sello "$SELLO_URL/documents/$document_id") || exit 1
  status=$(echo "$document" | field status)
  echo "$status"
  case $status in
    AUTHORIZED) break ;;
    REJECTED | MANUAL_REVIEW_REQUIRED | FAILED_PERMANENT) give_up "$document" ;;
  esac
  # Until a person acts, nothing happens; then it goes on. On the same day this script may be run again, later the document is read by its id.
  case $(echo "$document" | field 'error?.detail?.suggested_action') in
    resume_pause | upload_certificate) give_up "$status: $(echo "$document" | field error.message)" ;;
  esac
done

# 3. What the buyer receives: the authorized XML and its printed form.
sello "$SELLO_URL/documents/$document_id/xml?kind=authorized" -o invoice.xml
sello "$SELLO_URL/documents/$document_id/ride" -o invoice.pdf
